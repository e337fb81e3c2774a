// Draws a recording of the command line as an SVG: commands are typed, and their output appears. It ends with all of them.
import { blocksIn } from '../support/markdown.js';

/** The commands of README.md that are shown, by what they begin with. Their output is there, and tests compare it. */
const SHOWN = [
  'shardbits route users.csv --csv --key email --shards 64',
  "printf 'user:1\\nuser:2\\n' | shardbits route --as kafka",
  'seq 1000 | shardbits plan',
  'shardbits map create',
  'shardbits map change',
  'shardbits decode',
];

const WIDTH = 800;
const PADDING = 20;
const TOP = 32;
const LINE = 20;
const GAP = 7; // above a command
const FONT = 13.5;
const ADVANCE = FONT * 0.6; // of a monospaced character; `textLength` makes other fonts fit
const TYPED_A_SECOND = 60;
const PAUSE = 0.35; // before a command, and before its output
const READING = 0.6; // after its output, in seconds

const STYLE = `
  .window { fill: #ffffff; stroke: #d0d7de }
  .button { fill: #d0d7de }
  text { font: ${FONT}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #3d4752; white-space: pre }
  .prompt { fill: #0b6e4f; font-weight: 600 }
  .command { fill: #14181d; font-weight: 600 }
  @keyframes appear { from { opacity: 0 } }
  @keyframes type { from { clip-path: inset(0 100% 0 0) } }
  .prompt, .output { animation: appear 0.01s backwards }
  .command { animation: type 1s backwards }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #30363d }
    .button { fill: #30363d }
    text { fill: #aab4bf }
    .prompt { fill: #3fb98a }
    .command { fill: #f0f4f8 }
  }
  @media (prefers-reduced-motion: reduce) { .prompt, .output, .command { animation: none } }
`;

interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

export function recording(readme: string): string {
  const lines: string[] = [];
  let y = TOP;
  let at = PAUSE;
  const draw = (kind: 'prompt' | 'command' | 'output', text: string, column = 0, style = '') => {
    const x = PADDING + column * ADVANCE;
    const length = (text.length * ADVANCE).toFixed(1);
    const size = `x="${x.toFixed(1)}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
    lines.push(
      `<text class="${kind}" ${size} style="animation-delay: ${at.toFixed(2)}s${style}">${escaped(text)}</text>`,
    );
  };
  for (const { command, output } of shownIn(readme)) {
    y += LINE + GAP;
    draw('prompt', '$');
    const seconds = command.length / TYPED_A_SECOND;
    at += PAUSE;
    const typing = `; animation-duration: ${seconds.toFixed(2)}s; animation-timing-function: steps(${command.length})`;
    draw('command', command, 2, typing);
    at += seconds + PAUSE;
    for (const line of output) {
      y += LINE;
      draw('output', line);
    }
    if (output.length > 0) at += READING;
  }
  const height = y + PADDING;
  const buttons = [0, 1, 2].map((i) => `<circle class="button" cx="${PADDING + 6 + i * 18}" cy="22" r="5.5"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>shardbits on the command line</title>
<style>${STYLE}</style>
<rect class="window" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${[...buttons, ...lines].join('\n')}
</svg>
`;
}

function shownIn(readme: string): Shown[] {
  const blocks = blocksIn(readme).filter(({ language }) => language === 'sh');
  const all = blocks.flatMap(({ text }) => text.split(/^\$ /m).slice(1));
  return SHOWN.map((start) => {
    const found = all.find((text) => text.startsWith(start) && !text.includes('--out-dir'));
    if (found === undefined) throw new Error(`README.md has no command that begins with "${start}"`);
    const [command = '', ...lines] = found.trimEnd().split('\n');
    const output = aligned(lines);
    const wide = [`$ ${command}`, ...output].find((line) => line.length * ADVANCE > WIDTH - 2 * PADDING);
    if (wide !== undefined) throw new Error(`the picture is too narrow for ${wide}`);
    return { command, output };
  });
}

/** Lines whose cells, between tabs, begin in the same column. A terminal does so only if all cells of a column are short. */
function aligned(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.split('\t'));
  const widths = (column: number) =>
    rows.filter((cells) => cells.length > 1).map((cells) => cells[column]?.length ?? 0);
  const width = (column: number) => Math.max(...widths(column)) + 2;
  return rows.map((cells) => cells.map((cell, i) => (i < cells.length - 1 ? cell.padEnd(width(i)) : cell)).join(''));
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
