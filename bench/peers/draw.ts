// What draws the charts is no peer, but like the peers it is not among the packages that everybody installs.

interface Vega {
  parse(spec: object): object;
  View: new (runtime: object, options: { renderer: 'none' }) => { toSVG(): Promise<string> };
}

interface VegaLite {
  compile(spec: object): { spec: object };
}

/** A chart of Vega-Lite, as SVG. It needs `npm install --prefix bench/peers`. */
export async function draw(spec: object): Promise<string> {
  const [vega, lite] = ['vega', 'vega-lite']; // names that the compiler does not look for
  const { parse, View }: Vega = await import(vega);
  const { compile }: VegaLite = await import(lite);
  return `${await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG()}\n`;
}
