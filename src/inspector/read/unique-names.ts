/** The names with a number added to those that came before: the second `id` is `id_2`. */
export function uniqueNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let times = 2; seen.has(unique); times++) unique = `${name}_${times}`;
    seen.add(unique);
    return unique;
  });
}
