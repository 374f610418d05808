/** What an agent tells about itself. */
export interface Served {
  readonly version: string;
  /** Whether prompts may contain images. */
  readonly images: boolean;
}
