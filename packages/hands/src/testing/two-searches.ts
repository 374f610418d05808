import { join } from 'node:path';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { LocalProcesses } from '../process/local-processes.ts';
import { createHands } from '../runtime/create-hands.ts';
import type { FileFindings, FilesRequest } from '../search/file-search.ts';
import { Search } from '../search/search.ts';
import type { TextFindings, TextRequest } from '../search/text-search.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { PROBE } from './probe-tool.ts';

export const TEXT_REQUEST: TextRequest = {
  pattern: '',
  literal: false,
  case: 'sensitive',
  path: '.',
  globs: [],
  hidden: false,
  ignore: true,
  context: 0,
  perFile: undefined,
  limit: 2_000,
};
export const FILES_REQUEST: FilesRequest = { globs: ['*'], path: '.', hidden: false, ignore: true, limit: 1_000 };

/** Counts the runs of ripgrep. */
class CountedProcesses extends LocalProcesses {
  runs = 0;

  override async run(...given: Parameters<LocalProcesses['run']>): ReturnType<LocalProcesses['run']> {
    this.runs += 1;
    return await super.run(...given);
  }
}

/** A search of a workspace. */
class CountedSearch {
  readonly search: Search;
  readonly #processes = new CountedProcesses();
  readonly #ctx: ToolContext;

  constructor(ctx: ToolContext, folders: FolderIndex, largeNames: number) {
    this.search = new Search(this.#processes, folders, { largeNames });
    this.#ctx = ctx;
  }

  /** Number of runs of ripgrep so far. */
  get runs(): number {
    return this.#processes.runs;
  }

  async text(request: Partial<TextRequest>): Promise<TextFindings> {
    return await this.search.text({ ...TEXT_REQUEST, ...request }, this.#ctx.workspace, this.#ctx.signal);
  }

  async files(request: Partial<FilesRequest>): Promise<FileFindings> {
    return await this.search.files({ ...FILES_REQUEST, ...request }, this.#ctx.workspace, this.#ctx.signal);
  }
}

/** Two searches of one folder, with an index and without. */
export interface TwoSearches extends AsyncDisposable {
  readonly indexed: CountedSearch;
  readonly plain: CountedSearch;
  /** Searches until a search in a folder starts no process, because the index answers. */
  readonly untilIndexed: (path?: string) => Promise<void>;
}

/** Opens two searches of a folder: one has an index however small the folder is, the other never has one. For tests. */
export async function twoSearches(workspace: string): Promise<TwoSearches> {
  const stateFolder = await realpath(await mkdtemp(join(tmpdir(), 'synapse-test-')));
  const got = Promise.withResolvers<ToolContext>();
  const end = Promise.withResolvers<void>();
  const tool = defineTool({
    ...PROBE,
    timeoutMs: 3_600_000,
    async execute(_input, given) {
      got.resolve(given);
      await end.promise;
      return { data: {}, content: '' };
    },
  });
  const hands = await createHands({ workspace, stateFolder, tools: [tool] });
  const call = hands.call('probe', {});
  const ctx = await got.promise;
  const folders = [new FolderIndex(new HandleConfinement(workspace)), new FolderIndex(new HandleConfinement(workspace))] as const;
  const indexed = new CountedSearch(ctx, folders[0], 0);
  return {
    indexed,
    plain: new CountedSearch(ctx, folders[1], Infinity),
    async untilIndexed(path = '.') {
      for (let tries = 0; tries < 50; tries += 1) {
        const before = indexed.runs;
        // Without the files that ripgrep has to look at in any case.
        await indexed.text({ pattern: 'nothing of this', literal: true, globs: ['nothing*'], path });
        if (indexed.runs === before) return;
        await indexed.search.settled();
        // Walks follow each other at a distance, so that constant changes do not keep the machine busy.
        indexed.search.walkSoon();
      }
      throw new Error('The index does not answer.');
    },
    async [Symbol.asyncDispose]() {
      await indexed.search[Symbol.asyncDispose]();
      for (const index of folders) index[Symbol.dispose]();
      end.resolve();
      await call;
      await hands[Symbol.asyncDispose]();
    },
  };
}
