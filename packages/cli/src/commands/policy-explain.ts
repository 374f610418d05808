import { explanationText } from '@synapse/hands';
import { callInput } from '../call-input.ts';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';

/** Tells what the policy would say to a call. Whatever that is, telling it succeeded. */
export const policyExplain: CommandAction = async (context) => {
  const { options, out, err } = context;
  const [tool = '', argument] = context.arguments;
  const input = await callInput(argument, context);
  await using hands = await openHands(options, err);
  const shown = await hands.explain(tool, input);
  out.write(options.json ? `${visibleJson(JSON.stringify(shown, null, out.isTerminal ? 2 : 0))}\n` : `${explanationText(tool, shown)}\n`);
  return 0;
};
