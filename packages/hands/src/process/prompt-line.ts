/** How programs ask: for a secret, for a choice, for any answer. */
const QUESTION =
  /(?:pass(?:word|phrase|code)|\bpin\b|user ?name|login|\[[yY](?:es)?\/[nN]o?\]|\([yY](?:es)?\/[nN]o?(?:\/[^)]*)?\)|press (?:any key|enter|return)|continue|proceed|overwrite)[^\n]{0,40}$/iu;
/** The prompts of shells, debuggers and programs that ask with a question mark. */
const PROMPT_END = /(?:[?>$#%»❯]|:(?:[ \t]*\([^()]*\))?|\)\?)[ \t]*$/u;
/** A question fits a line; longer ones are data. */
const MAX_PROMPT = 300;

/** Whether an output ends as if a program waited for an answer: in a line without an end that asks. */
export function endsWithPrompt(output: string): boolean {
  const line = output.slice(output.lastIndexOf('\n') + 1);
  if (line.trim() === '' || line.length > MAX_PROMPT) return false;
  return QUESTION.test(line) || PROMPT_END.test(line);
}
