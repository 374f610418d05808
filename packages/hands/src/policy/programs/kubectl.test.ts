import { expect, it } from 'vitest';
import { decideCommand, testPolicy } from '../fixtures/test-policy.ts';
import { interpreterReason } from '../interpreters.ts';
import { namingWords } from '../grant.ts';

it.each(['kubectl exec pod -- sh', 'oc rsh pod', 'kubectl apply -f a.yaml'])('%s runs commands elsewhere', (command) => {
  expect(interpreterReason(command.split(' '))).toContain('another machine');
  expect(decideCommand(testPolicy(), command).verdict).toBe('ask');
});

it.each([
  ['kubectl get pods -A', 'kubectl get pods'],
  ['kubectl describe pod a', 'kubectl describe'],
  ['helm upgrade a', 'helm upgrade'],
])('%s is named by %s', (command, expected) => {
  expect(namingWords(command.split(' '))?.join(' ')).toBe(expected);
});

it('knows other names of what helm does', () => {
  expect(decideCommand(testPolicy({ deny: ['exec(helm uninstall *)'] }), 'helm del a').verdict).toBe('deny');
  expect(decideCommand(testPolicy({ deny: ['exec(helm uninstall *)'] }), 'helm list').verdict).toBe('ask');
});
