import { useEffect, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { bytesText, countText, visible } from '../components/formats.ts'
import { useRefused } from '../components/refusals.tsx'
import { useLoad } from '../components/use-load.ts'
import { type PrefixUsage, readPrefixes, readUsage } from '../control/operate.ts'
import { linkTo } from '../router/route.ts'
import { listShownBuckets } from '../session/session.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'
import { treemap } from './treemap.ts'

/** How many buckets are measured, and how many requests of each ten thousand objects are made without a word. */
const bucketsMax = 200
const pagesMax = 10

interface Part {
  readonly name: string
  readonly bytes: number
  readonly objects?: number
}

interface Place {
  readonly bucket: string
  readonly prefix: string
}

/** Which buckets, and which prefixes in them, have the bytes. */
export function UsageSection() {
  const [place, setPlace] = useState<Place | undefined>(undefined)
  return (
    <section class="card operate-section" aria-labelledby="usage-title">
      <h2 id="usage-title">Usage</h2>
      <Path place={place} onChange={setPlace} />
      {place === undefined ? (
        <Buckets onOpen={(bucket) => setPlace({ bucket, prefix: '' })} />
      ) : (
        <Prefixes
          key={JSON.stringify(place)}
          place={place}
          onOpen={(prefix) => setPlace({ bucket: place.bucket, prefix })}
        />
      )}
    </section>
  )
}

function Path({ place, onChange }: { readonly place: Place | undefined; readonly onChange: (to?: Place) => void }) {
  if (place === undefined) return null
  const { bucket, prefix } = place
  const folders = prefix.split('/').slice(0, -1)
  return (
    <nav aria-label="Place of the map" class="cluster">
      <Button kind="quiet" onClick={() => onChange(undefined)}>
        All buckets
      </Button>
      <Button kind="quiet" onClick={() => onChange({ bucket, prefix: '' })}>
        {bucket}
      </Button>
      {folders.map((folder, i) => (
        <Button
          key={i}
          kind="quiet"
          onClick={() => onChange({ bucket, prefix: `${folders.slice(0, i + 1).join('/')}/` })}
        >
          {visible(folder)}/
        </Button>
      ))}
      <a href={linkTo(['browse', bucket], { prefix })}>Browse</a>
    </nav>
  )
}

async function measureBuckets(connection: Connection, signal: AbortSignal): Promise<readonly Part[]> {
  const buckets = await listShownBuckets(connection, signal)
  const parts: Part[] = []
  for (const { name } of buckets.slice(0, bucketsMax)) {
    const { live, kept, pinned } = await readUsage(connection, signal, name)
    parts.push({ name, bytes: live + kept + pinned })
  }
  return parts
}

function Buckets({ onOpen }: { readonly onOpen: (bucket: string) => void }) {
  const connection = useConnection()
  const total = useLoad((signal) => readUsage(connection, signal), [connection])
  const parts = useLoad((signal) => measureBuckets(connection, signal), [connection])
  const failed = [total, parts].find((one) => one.state === 'failed')
  if (useRefused(failed?.state === 'failed' ? failed.error : undefined, 'Usage')) return null
  return (
    <>
      {total.state === 'ready' && (
        <p class="quiet">
          {bytesText(total.value.live)} in use, {bytesText(total.value.kept)} removed and kept,{' '}
          {bytesText(total.value.pinned)} kept by snapshots
          {total.value.free !== undefined && `, ${bytesText(total.value.free)} free`}
        </p>
      )}
      {parts.state === 'loading' && <p role="status">Measuring…</p>}
      {parts.state === 'failed' && <ErrorMessage error={parts.error} onRetry={parts.reload} />}
      {parts.state === 'ready' && <Tiles label="Bytes of the buckets" parts={parts.value} onOpen={onOpen} />}
    </>
  )
}

interface Counted {
  readonly parts: ReadonlyMap<string, PrefixUsage>
  readonly next?: string | undefined
  readonly isDone: boolean
}

function Prefixes({ place, onOpen }: { readonly place: Place; readonly onOpen: (prefix: string) => void }) {
  const connection = useConnection()
  const [counted, setCounted] = useState<Counted>({ parts: new Map(), isDone: false })
  const [run, setRun] = useState(0)
  const [error, setError] = useState<unknown>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    setError(undefined)
    count(connection, { ...place, after: counted.next }, counted.parts, {
      signal: controller.signal,
      onCounted: setCounted,
    }).catch((problem: unknown) => controller.signal.aborted || setError(problem))
    return () => controller.abort()
  }, [run])
  const parts = [...counted.parts.values()].map((part) => ({
    name: part.prefix === place.prefix ? 'objects here' : part.prefix.slice(place.prefix.length),
    ...part,
  }))
  const objects = parts.reduce((sum, part) => sum + part.objects, 0)
  return (
    <>
      <p class="quiet" role="status">
        {countText(objects, 'current object')}
        {counted.isDone ? '' : ' so far'}
      </p>
      {error !== undefined && <ErrorMessage error={error} onRetry={() => setRun(run + 1)} />}
      <Tiles
        label="Bytes of the prefixes"
        parts={parts}
        onOpen={(name) => onOpen(place.prefix + name)}
        isLeaf={(name) => !name.endsWith('/')}
      />
      {counted.next !== undefined && !counted.isDone && error === undefined && (
        <Button onClick={() => setRun(run + 1)}>Count more</Button>
      )}
    </>
  )
}

interface Counting {
  readonly signal: AbortSignal
  readonly onCounted: (counted: Counted) => void
}

/** Adds page after page, and shows each. */
async function count(
  connection: Connection,
  place: Place & { readonly after: string | undefined },
  known: ReadonlyMap<string, PrefixUsage>,
  { signal, onCounted }: Counting,
): Promise<void> {
  const parts = new Map(known)
  let after = place.after
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await readPrefixes(connection, signal, { ...place, after })
    if (signal.aborted) return
    for (const { prefix, objects, bytes } of page.entries) {
      const before = parts.get(prefix)
      parts.set(prefix, { prefix, objects: objects + (before?.objects ?? 0), bytes: bytes + (before?.bytes ?? 0) })
    }
    after = page.next
    onCounted({ parts: new Map(parts), next: after, isDone: after === undefined })
    if (after === undefined) return
  }
}

interface TilesProps {
  readonly label: string
  readonly parts: readonly Part[]
  readonly onOpen: (name: string) => void
  readonly isLeaf?: (name: string) => boolean
}

/** As in operate.css. */
const aspect = 3.2
const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

function Tiles({ label, parts, onOpen, isLeaf = () => false }: TilesProps) {
  const tiles = treemap(
    parts.map(({ bytes }) => bytes),
    aspect,
  )
  if (tiles.length === 0) return <EmptyState title="No bytes here" />
  return (
    <ul class="treemap" aria-label={label}>
      {tiles.map(({ index, x, y, width, height }) => {
        const { name, bytes, objects } = parts[index] as Part
        const title = `${visible(name)}: ${bytesText(bytes)}${objects === undefined ? '' : `, ${countText(objects, 'object')}`}`
        const style = { left: percent(x), top: percent(y), width: percent(width), height: percent(height) }
        return (
          <li key={name} style={style}>
            <button type="button" title={title} disabled={isLeaf(name)} onClick={() => onOpen(name)}>
              <span>{visible(name)}</span>
              <span class="small">{bytesText(bytes)}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
