import { useMemo } from 'preact/hooks';
import { visible } from '../parts/format.ts';
import { parseBlocks, type Block } from './parse-blocks.ts';
import { parseInline, type Inline } from './parse-inline.ts';

/** Maximum characters of a report to render. */
const MAX_REPORT = 500_000;

function Piece({ piece }: { readonly piece: Inline }) {
  switch (piece.type) {
    case 'text':
      return <>{visible(piece.text)}</>;
    case 'code':
      return <code>{visible(piece.text)}</code>;
    case 'strong':
      return (
        <strong>
          <Pieces pieces={piece.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Pieces pieces={piece.children} />
        </em>
      );
    case 'deleted':
      return (
        <del>
          <Pieces pieces={piece.children} />
        </del>
      );
    case 'link':
      return (
        <a href={piece.href} title={piece.href} target="_blank" rel="noopener noreferrer">
          <Pieces pieces={piece.children} />
        </a>
      );
    default:
      return piece satisfies never;
  }
}

function Pieces({ pieces }: { readonly pieces: readonly Inline[] }) {
  return (
    <>
      {pieces.map((piece, index) => (
        <Piece key={index} piece={piece} />
      ))}
    </>
  );
}

const Text = ({ text }: { readonly text: string }) => <Pieces pieces={parseInline(text)} />;

/** The page has its own headings; those of a report start one level below. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function BlockView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case 'heading': {
      const Heading = HEADINGS[block.level - 1] ?? 'h6';
      return (
        <Heading>
          <Text text={block.text} />
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p>
          <Text text={block.text} />
        </p>
      );
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          {visible(block.text)}
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return (
        <div class="table-box" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index} scope="col">
                    <Text text={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, at) => (
                    <td key={at}>
                      <Text text={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'rule':
      return <hr />;
    default:
      return block satisfies never;
  }
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  // Items of a single paragraph are rendered without it.
  const [only, ...more] = blocks;
  if (only?.type === 'paragraph' && more.length === 0) return <Text text={only.text} />;
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

/** Renders untrusted Markdown as a fixed set of elements. Markup in it is shown as text. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseBlocks(text.slice(0, MAX_REPORT).replaceAll('\r\n', '\n').split('\n')), [text]);
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}
