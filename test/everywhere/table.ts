/** A row as it came out. */
export interface Line {
  readonly name: string;
  readonly version: string;
  readonly backend: string;
  readonly checks: number;
  readonly ok: boolean;
  readonly result: string;
  readonly seconds: number;
}

/** As Markdown, for docs/runtimes.md. */
export function table(lines: readonly Line[]): string {
  const cells = lines.map(({ name, version, checks, backend, result, seconds }) => [
    name,
    version,
    checks ? checks.toLocaleString('en') : '',
    backend,
    result,
    `${seconds.toFixed(1)} s`,
  ]);
  const rows = [
    ['on', 'version', 'checks', 'backend', 'result', 'time'],
    ['---', '---', '---:', '---', '---', '---:'],
    ...cells,
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`).join('\n');
}
