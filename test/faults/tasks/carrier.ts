/** A process that opens a store, begins what it is told to, and ends when no task goes on any more. */
import { createInterface } from 'node:readline'
import { openStore } from 'varve'

/** One line of orders. */
export interface Orders {
  readonly directory: string
  /** Absent: it only carries on what is there. */
  readonly begin?:
    | { readonly kind: 'restore'; readonly bucket: string; readonly to: number }
    | { readonly kind: 'undo' }
}

/** What it reports. */
export interface Report {
  readonly what: 'opened' | 'progress' | 'ended'
}

const report = (what: Report['what']): void =>
  void process.stdout.write(`${JSON.stringify({ what } satisfies Report)}\n`)

createInterface({ input: process.stdin })
  .once('line', (line) => {
    run(JSON.parse(line) as Orders).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
  .once('close', () => process.exit(0))

async function run({ directory, begin }: Orders): Promise<void> {
  const store = await openStore(directory, { sweepEveryMs: 0 })
  report('opened')
  const parted = { inParts: true, partSize: 5, onConflict: 'skip', onProgress: () => report('progress') } as const
  if (begin?.kind === 'restore') await store.restore({ bucket: begin.bucket, to: begin.to, ...parted })
  if (begin?.kind === 'undo') await store.undo({ by: 'agent', ...parted })
  while ((await store.tasks.list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await store.close()
  report('ended')
}
