/** Upgrades the store in the directory that it is given, and writes its progress as JSON lines. */
import { migrateStore } from 'varve'

const [, , directory = ''] = process.argv
await migrateStore(directory, undefined, {
  onProgress: ({ stage, done, total }) => process.stdout.write(`${JSON.stringify({ stage, done, total })}\n`),
})
