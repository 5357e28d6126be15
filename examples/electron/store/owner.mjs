/** The utility process that owns the store. The main process attaches to it; nothing else of the app opens the store. */
import { isStorageError, openStore } from 'varve'

const [dir] = process.argv.slice(2)
const port = process.parentPort

try {
  const store = await openStore(dir)
  await store.buckets.ensure('shelf', { versioning: 'Enabled' })
  port.on('message', ({ data }) => {
    if (data?.kind !== 'close') return
    void store.close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  port.postMessage({ kind: 'ready' })
} catch (error) {
  // The main process cannot mend a store: it shows the reason and does not try again.
  const { code, message } = isStorageError(error) ? error : { code: undefined, message: String(error) }
  port.postMessage({ kind: 'refused', code, message })
}
