// A separate program: prints the milliseconds to write all tools in one format, in a process that has
// just started. A second format would find the code warm.
import { findDialect, describeTools } from '@synapse/hands/dialects';
import { writeTools, toolFormat } from '@synapse/hands/providers';
import { CANONICAL_TOOLS, describeTool } from '@synapse/hands/tools';

const [format = '', dialect] = process.argv.slice(2);
const noTools = { tools: () => [], call: async () => ({ output: '', isError: true }) };
const started = performance.now();
const tools = dialect === undefined ? CANONICAL_TOOLS.map(describeTool) : describeTools(findDialect(dialect), CANONICAL_TOOLS);
writeTools(tools, noTools, toolFormat(format));
process.stdout.write(String(performance.now() - started));
