/** `npm run suite simulation-segments [-- --states N --faults N --seed N]`: the long form of `segments.test.ts`. */
import { parseArgs } from 'node:util'
import { huntSegments } from './explore-segments.ts'

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '200000' },
    faults: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
  },
})
const began = performance.now()
const { problems, tally } = await huntSegments({
  seed: Number(values.seed),
  states: Number(values.states),
  faults: Number(values.faults),
})
for (const problem of problems) console.error(problem)
const seconds = Math.round((performance.now() - began) / 1000)
console.log(`${tally.states} states, ${tally.audits} audited, of ${tally.runs} runs, in ${seconds} s`)
process.exitCode = problems.length > 0 ? 1 : 0
