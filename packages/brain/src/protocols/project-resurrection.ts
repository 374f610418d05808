import type { ReasoningProtocol } from './reasoning-protocol.ts';

/** Recovers the context of a dormant project: what it is, where work stopped, and what to do next. */
export const PROJECT_RESURRECTION = {
  id: 'project-resurrection',
  title: 'Deep Project Analysis',
  description: 'Finds out what a project is, where work on it stopped and what to do next, and states nothing without evidence.',
  steps: [
    {
      id: 'step-01-discover-structure',
      title: 'Discover the structure',
      instruction: 'List the top folder and find the files. Tell the kind of project, its languages, and where tests, docs and CI are.',
      requiredOutput: 'The kind of project, its main folders and languages, and the paths of its manifests.',
      optional: false,
      signals: [{ tool: 'list_directory' }, { tool: 'list_dir' }, { tool: 'find_files' }, { tool: 'file_info' }],
    },
    {
      id: 'step-02-read-metadata',
      title: 'Read the metadata',
      instruction: 'Read the manifests and the beginning of the README. Take name, version, purpose, commands and workspace members from them.',
      requiredOutput: 'What the project is for and how it is run and tested, each with its file and line.',
      optional: false,
      signals: [
        {
          tool: 'read_file',
          input:
            'package.json pyproject.toml setup.py setup.cfg cargo.toml go.mod pom.xml build.gradle composer.json gemfile mix.exs cmakelists.txt makefile .csproj readme'.split(
              ' ',
            ),
        },
      ],
    },
    {
      id: 'step-03-analyze-git',
      title: 'Analyze the history',
      instruction:
        'Read the git status and the recent commits with their files. Find the most active area, what is uncommitted, and work in progress: other branches, stashes, conflicts, TODO notes near recent changes.',
      requiredOutput: 'The last active area and everything unfinished, each with its commit or file and line.',
      optional: false,
      signals: [
        { tool: 'git_status' },
        { tool: 'git_log' },
        { tool: 'git_diff' },
        { tool: 'git_show' },
        { tool: 'git_blame' },
        { tool: 'search_text', input: ['todo', 'fixme'] },
      ],
    },
    {
      id: 'step-04-read-devlog',
      title: 'Read the development log',
      instruction:
        'Read the last 500 lines of DEVLOG.md, or of the changelog, notes, roadmap or to-do list. Without any of them, go on with the next step.',
      requiredOutput: 'The latest entry, open items and stated plans, each with its file and line.',
      optional: true,
      signals: [{ tool: 'read_file', input: ['devlog', 'changelog', 'changes', 'history', 'notes', 'roadmap', 'todo'] }],
    },
    {
      id: 'step-05-synthesize',
      title: 'Write the Deep Status Report',
      instruction:
        'Write the report: YAML front matter `attribution` (files_read, tool_calls, confidence), then Last Active Area, Current State, Suggested Next Steps in priority order, Based On. Leave out what has no evidence.',
      requiredOutput: 'The Deep Status Report.',
      optional: false,
    },
  ],
} as const satisfies ReasoningProtocol;

/** The id of one of the five steps. */
export type ResurrectionStepId = (typeof PROJECT_RESURRECTION)['steps'][number]['id'];
