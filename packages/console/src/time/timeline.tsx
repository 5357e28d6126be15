/** The slider over the log: a chart of events by time, and a mark at the moment that the page shows. */

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { countText, visible } from '../components/formats.ts'
import { type Loaded, useLoad } from '../components/use-load.ts'
import { useConnection } from '../session/use-connection.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode } from '../transport/failures.ts'
import { loadDensity, type Slice } from './density.ts'
import { deedText, removalTypes, subjectText } from './event-text.ts'
import { type Direction, eventsUpTo, type Shown } from './event-steps.ts'
import { lastPosition, positionOf } from './events.ts'
import { instantText } from './instants.ts'
import { momentAt, nextPlace, placeOf, positionAt } from './places.ts'
import { useSteps } from './use-steps.ts'

export interface TimelineProps {
  readonly bucket: string
  readonly prefix: string
  /** A moment; `undefined` for now. */
  readonly at: string | undefined
  readonly onMove: (at: string | undefined) => void
  /** What can be done with the moment. */
  readonly children?: ComponentChildren
}

const steps = 120

interface Window {
  readonly since?: string
  readonly until?: string
}

/** Absent for a person without the right to read the log. */
export function Timeline({ bucket, prefix, at, onMove, children }: TimelineProps) {
  const connection = useConnection()
  const [shown, setShown] = useState<Window>({})
  const chart = useLoad(
    (signal) => loadChart(connection, { bucket, prefix, ...shown }, signal),
    [connection, bucket, prefix, shown],
  )
  const moment = useLoad(
    (signal) => loadMoment(connection, { bucket, prefix, at }, signal),
    [connection, bucket, prefix, at],
  )
  // The chart stays while another window of it is loaded, and with it the focus.
  const drawn = useRef<readonly Bar[] | undefined>(undefined)
  if (chart.state === 'ready') drawn.current = chart.value
  const slices = drawn.current
  const position = usePosition(at, moment)
  const step = useSteps({ bucket, prefix }, position, onMove)
  if (chart.state === 'failed' && hasCode(chart.error, 'AccessDenied')) return null
  return (
    <section class="timeline card" aria-label="Timeline">
      <div class="cluster">
        <MomentText moment={moment} isNow={at === undefined} />
        <span class="grow" />
        <Button kind="quiet" onClick={() => step(-1)}>
          ‹ One event back
        </Button>
        <Button kind="quiet" onClick={() => step(1)} disabled={at === undefined}>
          One event on ›
        </Button>
        <Button onClick={() => onMove(undefined)} disabled={at === undefined}>
          Now
        </Button>
      </div>
      {chart.state === 'loading' && slices === undefined && <p role="status">Loading…</p>}
      {chart.state === 'failed' && <ErrorMessage error={chart.error} onRetry={chart.reload} />}
      {slices !== undefined && chart.state !== 'failed' && (
        <>
          <Chart
            slices={slices}
            position={position}
            isNow={at === undefined}
            endsNow={shown.until === undefined}
            onMove={onMove}
            onStep={step}
          />
          <Ends slices={slices} shown={shown} position={position} onZoom={setShown} />
        </>
      )}
      {children}
    </section>
  )
}

/** The position of the moment, also while the moment is loaded: keys can be pressed faster than a server answers. */
function usePosition(at: string | undefined, moment: Loaded<Moment>): number | undefined {
  const known = useRef<Moment | undefined>(undefined)
  if (moment.state === 'ready') known.current = moment.value
  if (at === undefined) return known.current?.last
  return /^\d+$/.test(at) ? Number(at) : known.current?.position
}

interface Bar extends Slice {
  /** Events of the slice that removed something. */
  readonly removals: number
}

async function loadChart(connection: Connection, shown: Window & Shown, signal: AbortSignal): Promise<readonly Bar[]> {
  const [all, removed] = await Promise.all([
    loadDensity(connection, { ...shown, steps }, signal),
    loadDensity(connection, { ...shown, steps, types: removalTypes.join(',') }, signal),
  ])
  return all.map((slice, index) => ({ ...slice, removals: Math.min(slice.matching, removed[index]?.matching ?? 0) }))
}

interface Moment {
  readonly position: number
  readonly last: number
  /** What the moment is behind, such as `Ada wrote a.txt`. */
  readonly text: string
  /** Milliseconds since 1970. */
  readonly time: number | undefined
}

/** The moment, and the last event before it of what is shown. */
async function loadMoment(
  connection: Connection,
  { at, ...shown }: Shown & { readonly at: string | undefined },
  signal: AbortSignal,
): Promise<Moment> {
  const last = await lastPosition(connection, signal)
  const position = at === undefined ? last : await positionOf(connection, at, signal)
  const [event] = await eventsUpTo(connection, shown, { position, count: 1 }, signal)
  if (event === undefined) return { position, last, text: 'Nothing had happened yet', time: undefined }
  return { position, last, text: `${event.by.name} ${deedText(event)} ${visible(subjectText(event))}`, time: event.at }
}

function MomentText({ moment, isNow }: { readonly moment: Loaded<Moment>; readonly isNow: boolean }) {
  if (moment.state === 'loading') return <strong>…</strong>
  if (moment.state === 'failed') return <ErrorMessage error={moment.error} onRetry={moment.reload} />
  const { position, last, text, time } = moment.value
  return (
    <p class="moment" role="status">
      <strong>{isNow || time === undefined ? 'Now' : instantText(time)}</strong>
      <span class="quiet small">
        Position {position.toLocaleString()} of {last.toLocaleString()}: {text}
      </span>
    </p>
  )
}

interface ChartProps {
  readonly slices: readonly Bar[]
  readonly position: number | undefined
  readonly isNow: boolean
  /** False if the chart is zoomed to an earlier time. */
  readonly endsNow: boolean
  readonly onMove: (at: string | undefined) => void
  readonly onStep: (direction: Direction) => void
}

const height = 48

function Chart({ slices, position, isNow, endsNow, onMove, onStep }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<number>()
  if (slices.length === 0) return <p class="quiet">The log has no events in this time.</p>
  const at = dragged ?? (isNow ? slices.length : placeOf(slices, position))
  const most = Math.max(1, ...slices.map(({ matching }) => matching))
  const placeUnder = (event: PointerEvent): number => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.max(0, Math.min(slices.length, Math.round(((event.clientX - left) / width) * slices.length)))
  }
  const moveTo = (place: number): void => onMove(momentAt(slices, place, endsNow))
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = isNow || position === undefined ? positionAt(slices, slices.length) : position
    const back = (): void => moveTo(nextPlace(slices, from, -1))
    const on = (): void => moveTo(nextPlace(slices, from, 1))
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: back,
      ArrowDown: back,
      ArrowRight: on,
      ArrowUp: on,
      PageDown: () => onStep(-1),
      PageUp: () => onStep(1),
      Home: () => moveTo(0),
      End: () => moveTo(slices.length),
    }
    const action = actions[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  return (
    <div
      ref={box}
      class="timeline-chart"
      role="slider"
      tabIndex={0}
      aria-label="Moment that the page shows"
      aria-valuemin={0}
      aria-valuemax={slices.length}
      aria-valuenow={at}
      aria-valuetext={valueText(slices, at)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        box.current?.setPointerCapture(event.pointerId)
        setDragged(placeUnder(event))
      }}
      onPointerMove={(event) => dragged !== undefined && setDragged(placeUnder(event))}
      onPointerUp={(event) => {
        if (dragged === undefined) return
        setDragged(undefined)
        moveTo(placeUnder(event))
      }}
      onPointerCancel={() => setDragged(undefined)}
    >
      <svg viewBox={`0 0 ${slices.length} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {slices.map(({ from, matching, removals }, index) => (
          <Bars key={from} x={index} all={barHeight(matching, most)} removals={barHeight(removals, most)} />
        ))}
        <line class="timeline-mark" x1={at} x2={at} y1={0} y2={height} />
      </svg>
      {dragged !== undefined && <output class="timeline-hint small">{valueText(slices, dragged)}</output>}
    </div>
  )
}

function Bars({ x, all, removals }: { readonly x: number; readonly all: number; readonly removals: number }) {
  return (
    <>
      {all > 0 && <rect class="timeline-bar" x={x + 0.08} width={0.84} y={height - all} height={all} />}
      {removals > 0 && (
        <rect class="timeline-bar removed" x={x + 0.08} width={0.84} y={height - removals} height={removals} />
      )}
    </>
  )
}

/** The root makes one event beside thousands visible. */
const barHeight = (count: number, most: number): number =>
  count === 0 ? 0 : Math.max(2, Math.sqrt(count / most) * height)

function valueText(slices: readonly Bar[], place: number): string {
  if (place >= slices.length) return 'Now'
  const slice = slices[place]
  if (slice === undefined) return ''
  return `${instantText(Date.parse(slice.from))}, before ${countText(slice.matching, 'event')}`
}

interface EndsProps {
  readonly slices: readonly Slice[]
  readonly shown: Window
  readonly position: number | undefined
  readonly onZoom: (window: Window) => void
}

const zoomedSlices = 6

/** The times at both ends of the chart, and buttons to zoom. */
function Ends({ slices, shown, position, onZoom }: EndsProps) {
  const [first, last] = [slices[0], slices.at(-1)]
  if (first === undefined || last === undefined) return null
  const at = placeOf(slices, position)
  const zoomIn = (): void => {
    const [begin, end] = [
      slices[Math.max(0, at - zoomedSlices)],
      slices[Math.min(slices.length - 1, at + zoomedSlices)],
    ]
    if (begin !== undefined && end !== undefined) onZoom({ since: begin.from, until: end.until })
  }
  const isWhole = shown.since === undefined && shown.until === undefined
  const isFinest = Date.parse(last.until) - Date.parse(first.from) <= slices.length
  return (
    <div class="timeline-ends small quiet">
      <time dateTime={first.from}>{instantText(Date.parse(first.from))}</time>
      <span class="cluster">
        <Button kind="quiet" onClick={zoomIn} disabled={isFinest}>
          Zoom in
        </Button>
        <Button kind="quiet" onClick={() => onZoom({})} disabled={isWhole}>
          Whole log
        </Button>
      </span>
      <time dateTime={last.until}>{instantText(Date.parse(last.until))}</time>
    </div>
  )
}
