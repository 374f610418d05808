import { ROOM, type HandsEvent, type HandsState } from '@synapse/protocol/remote';
import type { PacedAnswers } from './paced-answers.ts';
import type { ServedPorts } from './served-ports.ts';

/** Answers to give in a turn. Each may take an eighth of what a line holds back. */
const ANSWERS = 2;
/** Pieces of forwarded connections to send in a turn. */
const PIECES = 2;

/** Takes what is to be sent in a turn: answers if the line has room, and pieces of forwarded ports only while nothing waits, so that calls go first. */
export function* nextForLine(
  { phase, channel: { waitingSize } }: HandsState['link'],
  answers: Pick<PacedAnswers, 'next'>,
  forwards: Pick<ServedPorts, 'next'>,
): Generator<HandsEvent> {
  yield* taken(waitingSize < ROOM ? ANSWERS : 0, answers);
  yield* taken(phase === 'up' && waitingSize === 0 ? PIECES : 0, forwards);
}

function* taken(most: number, from: { next(): HandsEvent | undefined }): Generator<HandsEvent> {
  for (let left = most; left > 0; left -= 1) {
    const event = from.next();
    if (event === undefined) return;
    yield event;
  }
}
