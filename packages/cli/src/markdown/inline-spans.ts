import type { Token } from 'marked';
import type { Style } from '../output/output.ts';
import type { Line, Span } from '../output/styled-line.ts';
import { decodeEntities } from './decode-entities.ts';

type Styles = readonly Style[];

/** Only addresses that a browser opens are made links; the schemes of others may start programs. */
const LINKED = /^(?:https?|mailto):/iu;

function addressOf(href: string): string | undefined {
  return LINKED.test(href) && URL.canParse(href) ? new URL(href).href : undefined;
}

const textOf = (spans: Line): string => spans.map(({ text }) => text).join('');

/** A link shows its address beside its text: a text can name a different address from the one that opens. */
function linkSpans(inner: Line, href: string, styles: Styles): Span[] {
  const address = addressOf(href);
  const text = textOf(inner);
  const shown = inner.map((span): Span => ({ ...span, styles: [...(span.styles ?? styles), 'underline'], address }));
  if (text === href || `mailto:${text}` === href || `http://${text}` === href) return shown;
  return [...shown, { text: ` (${href})`, styles: ['dim'], address }];
}

/** The lines of inline tokens, broken where the text says so. */
export function inlineSpans(tokens: readonly Token[] | undefined, styles: Styles = []): Span[] {
  return (tokens ?? []).flatMap((token): Span[] => {
    const inner = (more: readonly Style[]): Span[] => inlineSpans('tokens' in token ? token.tokens : undefined, [...styles, ...more]);
    switch (token.type) {
      case 'strong':
        return inner(['bold']);
      case 'em':
        return inner(['italic']);
      case 'del':
        return inner(['strikethrough']);
      case 'codespan':
        return [{ text: String(token['text']), styles: [...styles, 'cyan'] }];
      case 'br':
        return [{ text: '\n', styles }];
      case 'link':
        return linkSpans(inner([]), String(token['href']), styles);
      case 'image':
        return linkSpans([{ text: `[image: ${decodeEntities(String(token['text']))}]`, styles }], String(token['href']), styles);
      case 'html':
        return [{ text: token.raw, styles }];
      case 'escape':
        return [{ text: String(token['text']), styles }];
      default:
        if ('tokens' in token && token.tokens !== undefined && token.tokens.length > 0) return inner([]);
        return [{ text: decodeEntities('text' in token ? String(token['text']) : token.raw), styles }];
    }
  });
}

/** Splits spans at line ends. */
export function spanLines(spans: Line): Line[] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ ...span, text });
    }
  }
  return lines;
}
