import { PROJECT_RESURRECTION } from './project-resurrection.ts';
import type { ReasoningProtocol } from './reasoning-protocol.ts';

/** Reviews the uncommitted changes. */
export const REVIEW_CHANGES = {
  id: 'review-changes',
  title: 'Review of the Uncommitted Changes',
  description: 'Reads what is not committed, checks it, and names the risks in order of weight.',
  steps: [
    {
      id: 'step-01-list-changes',
      title: 'List the changes',
      instruction: 'Read the git status. Tell what is staged, changed, untracked or in conflict.',
      requiredOutput: 'Every changed file with its state.',
      optional: false,
      signals: [{ tool: 'git_status' }],
    },
    {
      id: 'step-02-read-the-diff',
      title: 'Read the diff',
      instruction: 'Read the diff of the working tree and of what is staged. Tell what each change is for.',
      requiredOutput: 'The purpose of each change, and what it leaves half done.',
      optional: false,
      signals: [{ tool: 'git_diff' }],
    },
    {
      id: 'step-03-read-around',
      title: 'Read around the changes',
      instruction: 'Read the code that calls what was changed, and its tests. Look for callers that were not adapted.',
      requiredOutput: 'Places that depend on a change, each with file and line.',
      optional: false,
      signals: [{ tool: 'read_file' }, { tool: 'search_text' }, { tool: 'git_blame' }],
    },
    {
      id: 'step-04-run-the-checks',
      title: 'Run the checks',
      instruction: 'Ask for the diagnostics of the changed files. Run the tests that cover them, where commands are allowed.',
      requiredOutput: 'Errors and failing tests, or that there are none.',
      optional: true,
      signals: [{ tool: 'diagnostics' }, { tool: 'run_command' }],
    },
    {
      id: 'step-05-write-the-review',
      title: 'Write the review',
      instruction:
        'Write the report: YAML front matter `attribution` (files_read, tool_calls, confidence), then Summary, Risks in order of weight with file and line, Missing Tests, Based On.',
      requiredOutput: 'The review.',
      optional: false,
    },
  ],
} as const satisfies ReasoningProtocol;

/** Explains a codebase to a newcomer. */
export const EXPLAIN_CODEBASE = {
  id: 'explain-codebase',
  title: 'Explanation of the Codebase',
  description: 'Finds the entry points, the main parts and how a request flows through them, and explains them with files and lines.',
  steps: [
    {
      id: 'step-01-find-the-parts',
      title: 'Find the parts',
      instruction: 'List the folders and read the manifests and the README. Tell what the project is and what its parts are.',
      requiredOutput: 'The parts, each with its folder and its job.',
      optional: false,
      signals: [{ tool: 'list_directory' }, { tool: 'find_files' }, { tool: 'list_dir' }],
    },
    {
      id: 'step-02-find-the-entry-points',
      title: 'Find the entry points',
      instruction: 'Find where the program starts: main files, binaries, exported functions, routes.',
      requiredOutput: 'Each entry point with file and line.',
      optional: false,
      signals: [{ tool: 'search_text' }],
    },
    {
      id: 'step-03-follow-one-path',
      title: 'Follow one path',
      instruction: 'Follow the most typical request or command from its entry point to its effect. Read each file on the way.',
      requiredOutput: 'The path as a list of files and functions.',
      optional: false,
      signals: [{ tool: 'read_file' }],
    },
    {
      id: 'step-04-read-the-history',
      title: 'Read the history',
      instruction: 'Read the recent commits. Tell what changes most.',
      requiredOutput: 'The parts that change, with commits.',
      optional: true,
      signals: [{ tool: 'git_log' }, { tool: 'git_show' }],
    },
    {
      id: 'step-05-explain',
      title: 'Explain',
      instruction:
        'Write the report: YAML front matter `attribution` (files_read, tool_calls, confidence), then What It Is, Parts, One Request from Start to End, Where to Begin Reading, Based On.',
      requiredOutput: 'The explanation.',
      optional: false,
    },
  ],
} as const satisfies ReasoningProtocol;

/** The built-in protocols. */
export const BUILT_IN_PROTOCOLS: readonly ReasoningProtocol[] = [PROJECT_RESURRECTION, REVIEW_CHANGES, EXPLAIN_CODEBASE];
