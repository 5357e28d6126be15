/** The utility process that owns the store. */
import { isStorageError, openStore } from 'varve'
import type { FromStore } from './store-process.js'

const [dir = ''] = process.argv.slice(2)
const send = (message: FromStore) => process.parentPort.postMessage(message)

try {
  const store = await openStore(dir)
  await store.buckets.ensure('notes', { versioning: 'Enabled' })
  process.parentPort.once('message', () => void store.close().finally(() => process.exit()))
  send({ kind: 'ready' })
} catch (error) {
  send({ kind: 'refused', text: isStorageError(error) ? error.message : String(error) })
}
