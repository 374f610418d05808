import type { HostGuard } from '../policy/host-guard.ts';
import type { MarkdownPage } from './html-to-markdown.ts';
import type { Page } from './get-page.ts';

/** Web access for one call. */
export interface Web {
  /**
   * Fetches a page. Follows redirects to hosts that the rules allow.
   *
   * @throws SynapseError that describes the failure
   */
  get(url: string): Promise<Page>;
  /** Converts HTML to Markdown; returns undefined if the page is too large or too deep. */
  toMarkdown(html: string, url: string): Promise<MarkdownPage | undefined>;
}

/** Returns web access for one call. Its modules are loaded on first use. */
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
