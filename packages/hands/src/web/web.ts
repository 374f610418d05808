import type { HostGuard } from '../policy/host-guard.ts';
import type { MarkdownPage } from './html-to-markdown.ts';
import type { Page } from './get-page.ts';

/** The web as one call may reach it. */
export interface Web {
  /**
   * Fetches a page. Redirects are followed as far as the rules allow their hosts.
   *
   * @throws SynapseError in words of what happened
   */
  get(url: string): Promise<Page>;
  /** HTML as Markdown; undefined where the page is too large or too deep for that. */
  toMarkdown(html: string, url: string): Promise<MarkdownPage | undefined>;
}

/** The web for one call. Nothing of it is loaded before it is asked for. */
export function webFor(guard: () => HostGuard, signal: AbortSignal): Web {
  return {
    async get(url) {
      const { getPage } = await import('./get-page.ts');
      return await getPage(url, { guard: guard(), signal });
    },
    async toMarkdown(html, url) {
      const { convertPage } = await import('./convert-page.ts');
      return await convertPage(html, url, signal);
    },
  };
}
