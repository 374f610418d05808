/** What the conversion of a page looks at. The page is a tree in memory: there is no browser, and no script runs. */
export interface PageElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly children: Iterable<PageElement>;
  readonly parentElement: PageElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  closest(selector: string): PageElement | null;
}
