import postgres from 'postgres';

/** What people write by hand: a table with a unique index of the strings. */
export async function plainPostgres(url: string) {
  const sql = postgres(url, { onnotice: () => {} });
  await sql`create table strings (id bigint generated always as identity primary key, key text not null unique)`;
  return {
    async internMany(keys: readonly string[]) {
      const find = () => sql`select id, key from strings where key = any (${keys as string[]})`;
      const known = new Set((await find()).map(({ key }) => key));
      const missing = keys.filter((key) => !known.has(key));
      if (missing.length === 0) return known;
      await sql`insert into strings (key) select unnest(${missing}::text[]) on conflict (key) do nothing`;
      return find();
    },
    close: () => sql.end(),
  };
}
