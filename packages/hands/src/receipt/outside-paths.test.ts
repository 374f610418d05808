import { expect, it } from 'vitest';
import { withoutOutsidePaths } from './outside-paths.ts';

it.each([
  ['npm test', 'npm test'],
  ['cat src/a.ts ./b | grep x', 'cat src/a.ts ./b | grep x'],
  ['cat /home/me/project/src/a.ts', 'cat ./src/a.ts'],
  ['cd /home/me/project && ls', 'cd . && ls'],
  ['ls /home/me/project2/x', 'ls [path outside]'],
  ['cat /etc/passwd ~/.ssh/id ~bob/x', 'cat [path outside] [path outside] [path outside]'],
  ['ls ../other "../x y" z', 'ls [path outside] "[path outside]" z'],
  ["ls '/home/me/x y' z", "ls '[path outside]' z"],
  [String.raw`ls /home/me/x\ y z`, 'ls [path outside] z'],
  ['sh -c "/home/me/project/run /etc/x"', 'sh -c "./run [path outside]"'],
  ['tool --out=/var/x > /dev/null 2>&1', 'tool --out=[path outside] > /dev/null 2>&1'],
  ['curl https://example.com/a/b', 'curl https://example.com/a/b'],
  ['find . -name "*.ts"', 'find . -name "*.ts"'],
  ['ls /', 'ls /'],
  ['cc -I/home/me/inc -L/home/me/project/lib', 'cc -I[path outside] -L./lib'],
  ['curl file:///home/me/x', 'curl file://[path outside]'],
  ['curl -d @/srv/x --data=@~/y me@host', 'curl -d @[path outside] --data=@[path outside] me@host'],
  ['scp host:/srv/x .', 'scp host:[path outside] .'],
  ['PATH=$X:/home/me/bin npm test', 'PATH=$X:[path outside] npm test'],
  ['curl http://localhost:80/a', 'curl http://localhost:80/a'],
])('shows %s as %s', (text, shown) => {
  expect(withoutOutsidePaths(text, '/home/me/project')).toBe(shown);
});
