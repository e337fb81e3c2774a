/** A page with other text between its lines `<!-- NAME -->` and `<!-- /NAME -->`; a page without them stays as it is. */
export function betweenMarks(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) return page;
  return `${page.slice(0, from)}${start}\n${text}\n\n${page.slice(to)}`;
}
