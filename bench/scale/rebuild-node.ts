/**
 * Computes the views of a store in PostgreSQL again, in a process of its own. Sends its processor time in milliseconds and the most
 * memory in MiB: `node rebuild-node.js DATABASE SCHEMA`
 */
import { memoryBlobs } from '@varve/adapters'
import { openPostgresJournal } from '@varve/adapters/postgres'
import { openStore } from 'varve'

const [address = '', schema = ''] = process.argv.slice(2)
const journal = await openPostgresJournal({ connectionString: address, schema })
// The objects of the bench are empty.
const store = await openStore({ journal, blobs: memoryBlobs() }, { sweepOrphans: false })
const { user: userBefore, system: systemBefore } = process.cpuUsage()
await store.rebuild()
const { user, system } = process.cpuUsage()
process.send?.({
  nodeMs: (user + system - userBefore - systemBefore) / 1000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
})
await store.close()
await journal.close()
process.disconnect()
