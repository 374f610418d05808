import type { ConsoleQuestion } from '@synapse/protocol/console';

/** The title of the tab: how many questions wait, first. */
export function tabTitle(waiting: number, project: string): string {
  const name = project.split('/').at(-1) ?? '';
  return [waiting === 0 ? '' : `(${waiting}) `, 'Synapse console', name === '' ? '' : ` · ${name}`].join('');
}

/** Returns the questions that came since the last look. */
export function newQuestions(before: ReadonlySet<string>, now: readonly ConsoleQuestion[]): ConsoleQuestion[] {
  return now.filter(({ id }) => !before.has(id));
}

/** What a question is about, in one line. */
export function headlineOf(question: ConsoleQuestion): string {
  return question.kind === 'call' ? question.heading : `${question.server} asks`;
}
