import type { DatabaseSync } from 'node:sqlite';
import type { SharedBudget } from '../agent/shared-budget.ts';

export const BUDGET_SCHEMA = `
CREATE TABLE IF NOT EXISTS budgets (
  id TEXT PRIMARY KEY, created INTEGER NOT NULL, calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0
) STRICT;
`;

/** Milliseconds after which a budget that a killed process left is deleted. A run takes an hour at most, unless its user says otherwise. */
const KEPT_MS = 7 * 86_400_000;

/** Creates a budget in a database, if it does not exist. */
export function openBudget(database: DatabaseSync, id: string): SharedBudget {
  const now = Date.now();
  database.prepare('DELETE FROM budgets WHERE created < ?').run(now - KEPT_MS);
  database.prepare('INSERT OR IGNORE INTO budgets (id, created) VALUES (?, ?)').run(id, now);
  const spent = database.prepare('SELECT calls, tokens, cost FROM budgets WHERE id = ?');
  const take = database.prepare('UPDATE budgets SET calls = calls + 1 WHERE id = ? AND calls < ?');
  const takeTurn = database.prepare('UPDATE budgets SET tokens = tokens + ?, cost = cost + ? WHERE id = ? AND tokens < ? AND cost < ?');
  const add = database.prepare('UPDATE budgets SET tokens = tokens + ?, cost = cost + ? WHERE id = ?');
  return {
    spent() {
      const row = spent.get(id);
      return { calls: Number(row?.['calls'] ?? 0), tokens: Number(row?.['tokens'] ?? 0), costUsd: Number(row?.['cost'] ?? 0) };
    },
    takeCall: (limit) => take.run(id, limit).changes === 1,
    takeTurn: (expected, { tokens = Infinity, costUsd = Infinity }) =>
      takeTurn.run(expected.tokens, expected.costUsd, id, tokens, costUsd).changes === 1,
    addTurn: ({ tokens, costUsd }) => void add.run(tokens, costUsd, id),
  };
}
