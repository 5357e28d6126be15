/** `npm run bench`: each workload beside its floor, in one run. */
import { cpus } from 'node:os'
import { run } from './run.ts'
import { workloads } from './workloads/index.ts'

const rounds = 5
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, medians of ${rounds} rounds\n`,
)
for (const workload of workloads) {
  const { name, against, varve, floor, ratio } = await run(workload, { rounds, scale: 1 })
  console.log(`${name}: ${Math.round(varve)}/s; ${against}: ${Math.round(floor)}/s; ratio ${ratio.toFixed(2)}`)
}
