/**
 * Adds the first heading of a page as its title. VitePress would take the heading as it is, into a script and into HTML, where `</script>`
 * ends the one and tags are part of the other.
 */
export function withTitle(text: string): string {
  const heading = /^# (.+)$/mu.exec(text)?.[1] ?? 'Synapse';
  const title = heading
    .replaceAll(/[<>&"`]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return `---\ntitle: ${JSON.stringify(title)}\n---\n\n${text}`;
}
