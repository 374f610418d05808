import { SynapseError } from '@synapse/protocol';

/** Maximum number of characters of the prompts of an editor that wait: twice its longest message. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** What the prompts that wait, of all sessions of an editor, hold in memory. */
export class WaitingRoom {
  #characters = 0;

  /**
   * Holds a prompt until it is disposed.
   *
   * @throws SynapseError `busy` if it is too much together with the others
   */
  hold(characters: number): Disposable {
    if (this.#characters + characters > MAX_CHARACTERS)
      throw new SynapseError('busy', `Too much waits already: at most ${MAX_CHARACTERS} characters of prompts.`, {
        hint: 'Wait for the prompts before, or cancel.',
      });
    this.#characters += characters;
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#characters -= characters;
        isHeld = false;
      },
    };
  }
}
