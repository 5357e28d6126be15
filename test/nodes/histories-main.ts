/**
 * Runs histories through servers of one store, on a PostgreSQL server and an S3 server that it starts:
 *
 *     npm run suite node-histories -- [--histories N] [--operations N] [--nodes N] [--processes] [--seed N]
 *
 * Half of the buckets are versioned. TMPDIR=/dev/shm keeps the servers in memory. The script ends with 1 if anything is wrong.
 */
import { parseArgs } from 'node:util'
import { tryNodeHistory } from './node-histories.ts'
import { startNodes } from './node-set.ts'

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    operations: { type: 'string', default: '2000' },
    nodes: { type: 'string', default: '3' },
    /** Each node is a process. */
    processes: { type: 'boolean', default: false },
    /** Of the first history. The next one has the next number. */
    seed: { type: 'string', default: '1' },
  },
})
const [histories, operations, nodes, first] = [values.histories, values.operations, values.nodes, values.seed].map(
  Number,
) as [number, number, number, number]

const set = await startNodes({ nodes, processes: values.processes })
const seen = { operations: 0, listings: 0, overlapping: 0, unknown: 0, refused: 0 }
try {
  for (let done = 0; done < histories && process.exitCode === undefined; done++) {
    const seed = first + done
    const { history, verdict, overlapping } = await tryNodeHistory(set, { seed, operations })
    seen.operations += operations
    seen.listings += history.listings.length
    seen.overlapping += overlapping
    seen.refused += history.refusals
    seen.unknown += history.operations.filter(({ answer }) => answer === undefined).length
    if (verdict !== undefined) {
      console.log(`--nodes ${nodes} --seed ${seed} --histories 1 --operations ${operations}: ${verdict}`)
      process.exitCode = 1
    } else if ((done + 1) % 10 === 0 || done + 1 === histories)
      console.log(`${done + 1} histories through ${nodes} nodes: ${JSON.stringify(seen)}`)
  }
} finally {
  await set.close()
}
