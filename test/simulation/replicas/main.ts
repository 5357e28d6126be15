/** `npm run suite simulation-replicas -- --states 1000000 --seed 1` */
import { parseArgs } from 'node:util'
import { huntReplicas } from './hunt-replicas.ts'

const { values } = parseArgs({
  options: { states: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
})
const { failure, schedules, states, confirmed, joined, erased, compared } = await huntReplicas(
  Number(values.states),
  Number(values.seed),
)
console.log(
  `${states} states of ${schedules} schedules, ${confirmed} confirmations, files joined ${joined} times, ${erased} erased contents looked for, views compared ${compared} times: ${failure ?? 'nothing is wrong'}`,
)
if (failure !== undefined) process.exitCode = 1
