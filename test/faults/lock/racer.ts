/**
 * A process that opens the store of a directory on request, itself or in a thread of its own, and reports the result:
 * JSON lines both ways.
 */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { isStorageError, openStore, type Store } from 'varve'

/** Open a path, in the main thread or in another; or close what is open. */
export type Order = { readonly open: string; readonly inThread: boolean } | { readonly close: true }

export type Answer =
  | { readonly won: true; readonly addon: boolean }
  | { readonly won: false; readonly code: string; readonly pid?: number }
  | { readonly closed: true }

/** Whether the addon for locks can be loaded; a variable, since this package does not depend on it. */
const addonName = 'fs-native-extensions'
const addon = await import(addonName).then(
  () => true,
  () => false,
)

let store: Store | undefined
let thread: Worker | undefined

async function open(path: string): Promise<Answer> {
  try {
    store = await openStore(path)
    return { won: true, addon }
  } catch (error) {
    if (!isStorageError(error)) throw error
    const { pid } = error.details
    return { won: false, code: error.code, ...(typeof pid === 'number' && { pid }) }
  }
}

/** A thread that won keeps the store until it is asked to close it. */
function openInThread(path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: path })
    worker.once('error', reject).once('message', (answer: Answer) => {
      if ('won' in answer && answer.won) thread = worker
      else void worker.terminate()
      resolve(answer)
    })
  })
}

async function close(): Promise<Answer> {
  await store?.close()
  store = undefined
  const closing = thread
  thread = undefined
  if (closing !== undefined) {
    await new Promise((resolve) => {
      closing.once('message', resolve).postMessage('close')
    })
    await closing.terminate()
  }
  return { closed: true }
}

async function race(order: Order): Promise<Answer> {
  if ('close' in order) return close()
  return order.inThread ? openInThread(order.open) : open(order.open)
}

if (isMainThread) {
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      void race(JSON.parse(line) as Order).then((answer) => writeSync(1, `${JSON.stringify(answer)}\n`))
    })
    .once('close', () => process.exit(0))
} else {
  parentPort?.once('message', () => void close().then((answer) => parentPort?.postMessage(answer)))
  parentPort?.postMessage(await open(workerData as string))
}
