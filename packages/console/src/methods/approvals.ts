import type { Handlers } from './method.ts';

export const approvals: Handlers<'approvals'> = {
  'approvals.answer': (params, { rooms }) => ({ message: rooms.desk.answer(params) }),
  'approvals.try': ({ id }, { rooms, signal }) => rooms.desk.tryOut(id, signal),
};

export const forms: Handlers<'forms'> = {
  'forms.answer': (params, { rooms }) => rooms.desk.answerForm(params),
};
