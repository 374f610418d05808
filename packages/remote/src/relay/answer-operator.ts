import type { IncomingMessage, ServerResponse } from 'node:http';

/** What an operator can ask a relay over HTTP. */
export interface OperatorAnswers {
  readonly isHealthy: () => boolean;
  readonly metrics: () => string;
}

const LOCAL = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Headers of proxies: behind one, a request from this machine may be from anywhere. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether a request is of a program of this machine, and not of a proxy for another one. */
function isLocal({ socket, headers }: IncomingMessage, isLoopbackName: boolean): boolean {
  return isLoopbackName && LOCAL.has(socket.remoteAddress ?? '') && FORWARDED.every((name) => headers[name] === undefined);
}

/**
 * Answers a request that is no WebSocket. `/healthz` says one word to each that asks; `/metrics` are for programs of this machine, because how
 * many work here and when is the business of the operator.
 *
 * @param isLoopbackName whether the request names this machine, as a page of another one cannot
 */
export function answerOperator(request: IncomingMessage, response: ServerResponse, isLoopbackName: boolean, answers: OperatorAnswers): void {
  const say = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store', ...headers }).end(text);
  };
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && request.url === '/healthz') return answers.isHealthy() ? say(200, 'ok\n') : say(503, 'The relay cannot reach its records.\n');
  if (isRead && request.url === '/metrics')
    return isLocal(request, isLoopbackName)
      ? say(200, answers.metrics())
      : say(403, 'Metrics are for programs of the machine that runs the relay.\n');
  return say(426, 'This is a Synapse relay. It takes WebSockets.\n', { upgrade: 'websocket' });
}
