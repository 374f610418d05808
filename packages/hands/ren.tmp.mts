import { createHands } from '@synapse/hands';
import { execFileSync, spawnSync } from 'node:child_process';
const [root, cases, check] = [process.argv[2]!, JSON.parse(process.argv[3]!) as any[], process.argv[4]!];
await using hands = await createHands({ workspace: root, stateFolder: '/tmp/n2/rs'+Math.random(), allow: ['write','exec'] });
const sh=(c:string)=>{const r=spawnSync('bash',['-c',c],{cwd:root,encoding:'utf8',maxBuffer:1<<28}); return (r.stdout+r.stderr).split('\n').map(l=>l.replace(/:\d+:\d+/g,'').replace(/\d+(\.\d+)?s\b/g,'').replace(/\(cached\)/,'')).filter(l=>/error|warning|vet:|FAIL|\.go:/i.test(l)).sort();};
const before=new Set(sh(check));
for (const c of cases) {
  const t=performance.now();
  const r:any=await hands.call('code',{action:'rename',...c},{timeoutMs:120000});
  const ms=Math.round(performance.now()-t);
  const tag=`## ${c.path} ${c.symbol??c.text+'@'+c.line} → ${c.to} (${ms} ms)`;
  if (!r.ok) { console.log(tag,'REFUSED',r.error.message.slice(0,700), r.error.hint?.slice(0,300)??''); continue; }
  const name=(c.symbol??c.text).split('.').at(-1);
  const now=c.to; const after=sh(check).map(l=>l.replaceAll(now,name)); const fresh=after.filter(l=>!before.has(l));
  const left=spawnSync('bash',['-c',`git grep -nw -- '${name}' | head -400 | wc -l`],{cwd:root,encoding:'utf8'}).stdout.trim();
  console.log(tag,fresh.length?'WRONG '+fresh.slice(0,5).join('\n'):'right','left words',left,execFileSync('git',['diff','--shortstat'],{cwd:root,encoding:'utf8'}).trim(),'\n'+r.output.slice(0,process.env.LONG?5000:900));
  const u:any=await hands.undo({call:r.meta.callId}); if(!u.ok) console.log('UNDO',u.error);
  const st=execFileSync('git',['status','--porcelain'],{cwd:root,encoding:'utf8'}); if (st) console.log('NOT CLEAN',st);
}
