import { readFileSync } from 'node:fs';

/** A statement of README's SQL, by the comment above it: what is documented is what is run. */
export function readmeSql(title: string): string {
  const blocks = readFileSync('README.md', 'utf8').matchAll(/^```sql\n([\s\S]*?)^```$/gm);
  const statements = [...blocks].flatMap(([, block = '']) => block.split(/;\s*/));
  const found = statements.find((statement) => statement.startsWith(`-- ${title}\n`));
  if (found === undefined) throw new Error(`README.md has no SQL under "-- ${title}"`);
  return found;
}
