import type { Transcript } from './transcript.ts';

/** Maximum number of messages that wait for the model. */
const MAX_WAITING = 20;

/** What the user said to a running model, until the model reads it. */
export class SpokenWords {
  #waiting: { readonly text: string; readonly n: number }[] = [];

  /** Returns whether there was room for it. */
  say(text: string, transcript: Transcript): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ text, n: transcript.add({ kind: 'text', from: 'user', text, state: 'queued' }) });
    return true;
  }

  /** Takes all messages, once. */
  take(transcript: Transcript): string[] {
    const taken = this.#waiting.splice(0);
    transcript.taken(taken.map(({ n }) => n));
    return taken.map(({ text }) => text);
  }
}
