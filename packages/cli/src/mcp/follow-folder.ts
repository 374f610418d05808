import type { DialectHands, Hands, NetworkPolicy, WarmUpOptions } from '@synapse/hands';
import type { DialectToolDescription } from '@synapse/hands/dialects';
import { defaultStateFolder, Projects, quoteWord, refusingHands, type McpOffers, type OfferChange, type ServedHands } from '@synapse/hands/internal';
import type { ToolFormat, ToolFormats, WriteOptions } from '@synapse/hands/providers';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { resolve } from 'node:path';

/** The hands of the folder that a client has open. */
export interface FollowedFolder extends AsyncDisposable {
  /** Hands for the current folder. Without a usable folder, they refuse each call with what to do. */
  readonly served: ServedHands;
  /** @throws SynapseError the refusal, if there is no folder */
  readonly hands: () => Hands;
  /**
   * Opens hands in the first of these folders that is tracked.
   *
   * @param roots the folders that the client has open; undefined if it does not say, which means the working directory
   * @returns whether one is tracked
   */
  readonly choose: (roots: readonly string[] | undefined) => Promise<boolean>;
}

/** What to do about a folder, as a complete sentence. */
function untracked(folder: string, above: string | undefined, error: SynapseError): SynapseError {
  if (error.code !== 'denied') return error;
  const inside = above === undefined ? '' : `It is inside of a tracked project, which can be opened in the client instead: ${above}\n`;
  return new SynapseError('denied', `Project not tracked: ${folder}. Only tracked projects can be accessed.`, {
    hint: `${inside}Its owner can add it, in a terminal: synapse projects add ${quoteWord(folder)}\nThen repeat the call.`,
    cause: error,
  });
}

/** The first tracked folder, or the message for the first folder. */
function firstTracked(folders: readonly string[]): string | SynapseError {
  let refusal: SynapseError | undefined;
  using projects = Projects.open(defaultStateFolder());
  for (const folder of folders) {
    try {
      return projects.require(folder).root;
    } catch (error) {
      refusal ??= untracked(resolve(folder), projects.above(folder)?.root, toSynapseError(error));
    }
  }
  return refusal ?? new SynapseError('denied', 'No folder is open. Only tracked projects can be accessed.', { hint: 'Open a folder in the client.' });
}

/** The dialect of the current hands. Returns the same object for the same hands, because its tools are cached with it. */
function followedDialect(name: string, current: () => ServedHands): DialectHands {
  const known = new WeakMap<ServedHands, DialectHands>();
  const now = (): DialectHands => {
    const hands = current();
    const made = known.get(hands) ?? hands.dialect(name);
    known.set(hands, made);
    return made;
  };
  function tools(): readonly DialectToolDescription[];
  function tools<Format extends ToolFormat>(format: Format, options?: WriteOptions): ToolFormats[Format];
  function tools(format?: ToolFormat, options?: WriteOptions): readonly DialectToolDescription[] | ToolFormats[ToolFormat] {
    return format === undefined ? now().tools() : now().tools(format, options);
  }
  return { name, tools, call: (...call) => now().call(...call) };
}

/** What MCP servers offer through the current hands; listeners stay subscribed when the hands change. */
function followedOffers(current: () => ServedHands, listeners: Set<(change: OfferChange) => void>): McpOffers {
  return {
    prompts: () => current().mcp.offers.prompts(),
    resources: () => current().mcp.offers.resources(),
    templates: () => current().mcp.offers.templates(),
    unwatch: (address) => current().mcp.offers.unwatch(address),
    onChanged: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * @param open opens hands in a tracked folder
 * @param network what commands will reach
 */
export function followFolder(open: (folder: string) => Promise<Hands>, network?: NetworkPolicy): FollowedFolder {
  let refusal = new SynapseError('denied', 'The folder is not known yet.', { retryable: true });
  let hands: Hands | undefined;
  const refusing = refusingHands(() => refusal, network);
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((listener) => listener());
  const current = (): ServedHands => hands ?? refusing;
  const offerListeners = new Set<(change: OfferChange) => void>();
  const offers = followedOffers(current, offerListeners);
  let stopHearing = (): void => {};
  /** What the server prepares, also for hands that it opens later. */
  let warmUp: WarmUpOptions | undefined;

  const leave = async (): Promise<void> => {
    const left = hands;
    hands = undefined;
    stopHearing();
    // Cancel running calls: the client has opened another folder.
    await left?.[Symbol.asyncDispose]();
  };
  return {
    served: {
      call: ((...call: Parameters<Hands['call']>) => current().call(...call)) as Hands['call'],
      tools: () => current().tools(),
      dialect: (name) => followedDialect(name, current),
      constraints: (options) => current().constraints(options),
      explain: (...call) => current().explain(...call),
      get mcp() {
        return { ...current().mcp, offers };
      },
      warmUp(options) {
        warmUp = options;
        current().warmUp(options);
      },
      endSession: async (sessionId) => await current().endSession(sessionId),
      onToolsChanged: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    hands() {
      if (hands === undefined) throw refusal;
      return hands;
    },
    async choose(roots) {
      // A client that has nothing open may have been started in a project.
      const found = firstTracked(roots === undefined || roots.length === 0 ? ['.'] : roots);
      if (typeof found === 'string' && hands?.workspace === found) return true;
      const before = hands;
      await leave();
      if (typeof found !== 'string') refusal = found;
      else {
        try {
          hands = await open(found);
          const stops = [
            hands.onToolsChanged(changed),
            hands.mcp.offers.onChanged((change) => offerListeners.forEach((listener) => listener(change))),
          ];
          stopHearing = () => stops.forEach((stop) => stop());
          hands.warmUp(warmUp);
        } catch (error) {
          refusal = toSynapseError(error);
        }
      }
      if (before !== undefined) changed();
      return hands !== undefined;
    },
    [Symbol.asyncDispose]: leave,
  };
}
