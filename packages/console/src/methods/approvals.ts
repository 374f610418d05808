import type { Handlers } from './method.ts';

export const approvals: Handlers<'approvals'> = {
  'approvals.answer': (params, { projects }) => ({ message: projects.questions.answer(params) }),
  'approvals.try': ({ id }, { projects, signal }) => projects.questions.tryOut(id, signal),
};

export const forms: Handlers<'forms'> = {
  'forms.answer': (params, { projects }) => projects.questions.answerForm(params),
};
