// Draws a terminal screen as SVG: `tmux capture-pane -e -p | node scripts/terminal-picture.ts TITLE > docs/session.svg`.
import { text } from 'node:stream/consumers';

/** Sizes in pixels. */
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 16;
const BAR = 32;

const COLORS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
};

interface Style {
  readonly color?: string | undefined;
  readonly bold?: boolean;
  readonly dim?: boolean;
}

/** Applies an ECMA-48 (SGR) code to a style. */
function changed(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  return code === 39 ? { ...style, color: undefined } : { ...style, color: COLORS[code] ?? style.color };
}

const escaped = (part: string): string => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function span(part: string, { color, bold, dim }: Style): string {
  const attributes = [
    color === undefined ? '' : ` fill="${color}"`,
    bold === true ? ' font-weight="bold"' : '',
    dim === true ? ' opacity="0.6"' : '',
  ].join('');
  return part === '' ? '' : `<tspan${attributes}>${escaped(part)}</tspan>`;
}

/** Converts the lines of a screen to SVG text. Styles continue across lines, as in the terminal. */
function rows(screen: string): string[] {
  let style: Style = {};
  return screen.split('\n').map((line) =>
    // eslint-disable-next-line no-control-regex -- what it looks for
    line.split(/(\u001B\[[\d;]*m)/u).reduce((drawn, part) => {
      // eslint-disable-next-line no-control-regex
      const codes = /^\u001B\[(?<codes>[\d;]*)m$/u.exec(part)?.groups?.['codes'];
      if (codes === undefined) return drawn + span(part, style);
      for (const code of codes.split(';')) style = changed(style, Number(code));
      return drawn;
    }, ''),
  );
}

/** Draws a terminal of 84 columns. */
export function terminalPicture(screen: string, title: string): string {
  const drawn = rows(screen.trimEnd());
  const [width, height] = [Math.ceil(84 * CHARACTER + 2 * MARGIN), BAR + drawn.length * LINE + MARGIN];
  const lines = drawn.map((row, index) => `<text x="${MARGIN}" y="${BAR + (index + 1) * LINE - 4}" xml:space="preserve">${row}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g fill="#30363d"><circle cx="20" cy="16" r="5"/><circle cx="36" cy="16" r="5"/><circle cx="52" cy="16" r="5"/></g>
<g fill="#e6edf3" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${lines.join('\n')}
</g>
</svg>
`;
}

if (import.meta.main) process.stdout.write(terminalPicture(await text(process.stdin), process.argv[2] ?? 'A terminal session'));
