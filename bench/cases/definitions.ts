// Run by itself: tells how many milliseconds it takes to write all tools in one format, in a process that has
// just begun. A second format would find the code warm.
import { CANONICAL_TOOLS, describeTool, findDialect, describeTools, writeTools, toolFormat } from '@synapse/hands';

const [format = '', dialect] = process.argv.slice(2);
const nobody = { tools: () => [], call: async () => ({ output: '', isError: true }) };
const started = performance.now();
const tools = dialect === undefined ? CANONICAL_TOOLS.map(describeTool) : describeTools(findDialect(dialect), CANONICAL_TOOLS);
writeTools(tools, nobody, toolFormat(format));
process.stdout.write(String(performance.now() - started));
