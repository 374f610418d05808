import { SynapseError, type ContentBlock } from '@synapse/protocol';
import * as z from 'zod';
import { imageType } from '../read/read-image.ts';
import { dataMarks } from '../output/data-mark.ts';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { Page } from '../web/get-page.ts';
import { harmlessText } from '../text/terminal-text.ts';
import { decodePage, htmlText } from '../web/html-text.ts';
import { parseWebAddress, shownAddress } from '../web/web-address.ts';
import { displayText } from '../workspace/byte-name.ts';

/** Maximum number of characters of an error page that are shown. */
const ERROR_CHARACTERS = 2_000;
const NEEDS_SCRIPTS = 'it shows nothing without its scripts, which are not run here: look for the same as plain HTML';
/** Maximum size of an image, in bytes. Larger images fill the context and show no more. */
const MAX_IMAGE_BYTES = 1_000_000;

const isHtml = ({ contentType }: Page, text: string): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)\b/u.test(contentType) ||
  (contentType === '' && /^\s*<(?:!doctype\s+html|html)\b/iu.test(text.slice(0, 1_000)));

/** Returns the content of a page in the requested format. */
async function readable(page: Page, format: 'markdown' | 'text' | 'html', web: ToolContext['web']): Promise<{ text: string; notes: string[] }> {
  const decoded = await decodePage(page.body, page.contentType);
  if (decoded === undefined) {
    throw new SynapseError(
      'binary_file',
      `${shownAddress(page.url)} is ${displayText(page.contentType.slice(0, 100)) || 'binary'}, ${size(page.body.length)}: no text.`,
      {
        hint: 'Look for the same as HTML or plain text.',
      },
    );
  }
  // Before the conversion, which would break up terminal sequences, and after it, because entities can produce them again.
  const text = harmlessText(decoded);
  if (format === 'html' || !isHtml(page, text)) return { text, notes: [] };
  // Otherwise the model would mistake a page built by scripts for an empty page.
  const notesOn = (body: string): string[] => (body.trim() === '' && /<script\b/iu.test(text) ? [NEEDS_SCRIPTS] : []);
  if (format === 'text') {
    const body = htmlText(text);
    return { text: body, notes: notesOn(body) };
  }
  const converted = await web.toMarkdown(text, page.url);
  if (converted === undefined) return { text: htmlText(text), notes: ['the page is too large or too deep for Markdown, so this is its plain text'] };
  const { title, markdown } = converted;
  return { text: title === '' || markdown.startsWith('# ') ? markdown : `# ${title}\n\n${markdown}`, notes: notesOn(markdown) };
}

function advice(status: number): string {
  if (status === 404 || status === 410) return 'Page not found: check the address, or begin at the front page of the site.';
  if (status === 401 || status === 403) return 'The site does not give this page to everyone, and no credentials are sent: use another source.';
  if (status === 429 || status >= 500) return 'The site cannot answer now: try again later, or use another source.';
  return 'The request was not accepted: check the address.';
}

/** Puts a page between marks. The first one is part of the text, so that a stored page has it too. */
function marked(text: string, url: string, how: string): readonly ContentBlock[] {
  const { begin, end } = dataMarks(url);
  return [
    { type: 'text', text: `${begin}\n\n${text}` },
    { type: 'note', text: end(how) },
  ];
}

export const fetchUrl = defineTool({
  name: 'fetch_url',
  title: 'Fetch a page',
  description:
    'Get a page of documentation by HTTP GET, as Markdown. Runs no scripts and sends no credentials. A redirect to a host that is not permitted is reported, not followed.',
  effects: 'net',
  destructive: false,
  idempotent: true,
  input: () =>
    z.strictObject({
      url: z
        .string()
        .superRefine((url, context) => {
          const address = parseWebAddress(url);
          if (typeof address === 'string') context.addIssue(address);
        })
        .describe('Whole address, such as https://nodejs.org/api/fs.html'),
      format: z.enum(['markdown', 'text', 'html']).default('markdown').describe('For HTML; anything else comes as it is'),
    }),
  output: () =>
    z.strictObject({
      /** The final URL, after redirects. */
      url: z.string(),
      status: z.int(),
      content_type: z.string(),
      kind: z.enum(['text', 'image']),
      /** The text of the page; base64 for an image. */
      content: z.string(),
      /** Size of the whole response, in bytes. */
      size: z.int(),
      redirects: z.int(),
    }),
  aliases: { fields: { uri: 'url', link: 'url', href: 'url', address: 'url' }, ignored: ['description', 'explanation', 'prompt', 'format'] },
  otherNames: ['fetch', 'curl', 'wget', 'web_fetch', 'webfetch', 'http_get', 'http_request', 'read_url', 'open_url', 'browse', 'browser_navigate'],
  permission: ({ url }) => [{ action: 'net', resource: url }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ url }, data) => `fetch_url(${shownAddress(url)}) → ${data.status}, ${size(data.size)}`,
  completion: ({ status }) => (status < 400 ? 'ok' : 'failed'),
  async execute({ url, format }, { web }) {
    const page = await web.get(url);
    const { status, redirects, body, contentType } = page;
    const facts = { url: page.url, status, content_type: contentType.slice(0, 200), size: body.length, redirects };
    const how = [
      `HTTP ${status}`,
      displayText(contentType.slice(0, 100)) || 'of no stated type',
      size(body.length),
      ...(redirects === 0 ? [] : [`after ${count(redirects, 'redirect')}`]),
    ];
    const picture = imageType(body);
    if (picture !== undefined && body.length <= MAX_IMAGE_BYTES) {
      const data = body.toString('base64');
      return {
        data: { ...facts, kind: 'image' as const, content: data },
        content: [{ type: 'image' as const, data, mimeType: picture }],
        note: how.join(' · '),
      };
    }
    const { text, notes } = await readable(page, format, web);
    const harmless = harmlessText(text);
    if (status < 400) {
      return { data: { ...facts, kind: 'text' as const, content: harmless }, content: marked(harmless, page.url, [...how, ...notes].join(' · ')) };
    }
    const beginning = harmless.slice(0, ERROR_CHARACTERS).toWellFormed();
    return {
      data: { ...facts, kind: 'text' as const, content: beginning },
      content: marked(beginning, page.url, `${how.join(' · ')}. ${advice(status)}`),
    };
  },
});
