import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface VirtualTableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** The cells of the head, in the order of the columns of `class`. */
  readonly head: readonly ComponentChildren[]
  readonly renderRow: (row: T) => readonly ComponentChildren[]
  readonly isSelected?: (row: T) => boolean
  /** A class that gives the grid its columns. */
  readonly columns: string
  /** False while more rows can be loaded. */
  readonly isComplete: boolean
  /** Called when the rows that are left below are few. */
  readonly onNearEnd: () => void
}

/** As `--row` in the styles. */
const rowHeight = 40
const rowsAhead = 12
const nearEndRows = 600

/**
 * A table of any number of rows, of which only those in sight are in the document. Arrow keys, Page Up, Page Down, Home
 * and End move from row to row.
 */
export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { label, rows, keyOf, head, renderRow, isSelected, columns, isComplete, onNearEnd } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const focusAt = useRef<number | undefined>(undefined)
  useEffect(() => watchView(box.current, setView), [])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - rowsAhead)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + rowsAhead)
  useEffect(() => {
    if (!isComplete && rows.length - end < nearEndRows) onNearEnd()
  }, [end, rows.length, isComplete])
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${focusAt.current}"] a`)
    if (row === null || row === undefined) return
    focusAt.current = undefined
    row.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as Element).closest('[data-row]')
    const target = targetOf(event.key, Number(row?.getAttribute('data-row') ?? -1), {
      last: rows.length - 1,
      page: Math.max(1, Math.floor(view.height / rowHeight) - 2),
    })
    if (row === null || target === undefined || box.current === null) return
    event.preventDefault()
    focusAt.current = target
    scrollTo(box.current, target)
    setView({ top: box.current.scrollTop, height: box.current.clientHeight })
  }
  const size = isComplete ? rows.length + 1 : -1
  return (
    <div class={`virtual ${columns}`} role="table" aria-label={label} aria-rowcount={size} onKeyDown={onKeyDown}>
      <div class="virtual-head" role="rowgroup">
        <div class="virtual-row" role="row" aria-rowindex={1}>
          {head.map((cell, column) => (
            <div key={column} role="columnheader">
              {cell}
            </div>
          ))}
        </div>
      </div>
      <div ref={box} class="virtual-body" role="rowgroup" style={{ '--rows': String(rows.length) }}>
        <div class="virtual-space" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, end).map((row, index) => (
            <div
              key={keyOf(row)}
              class={isSelected?.(row) === true ? 'virtual-row selected' : 'virtual-row'}
              role="row"
              aria-rowindex={first + index + 2}
              data-row={first + index}
              style={{ transform: `translateY(${(first + index) * rowHeight}px)` }}
            >
              {renderRow(row).map((cell, column) => (
                <div key={column} role="cell">
                  {cell}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function watchView(
  box: HTMLElement | null,
  setView: (view: { readonly top: number; readonly height: number }) => void,
): (() => void) | undefined {
  if (box === null) return undefined
  const note = (): void => setView({ top: box.scrollTop, height: box.clientHeight })
  const resized = new ResizeObserver(note)
  resized.observe(box)
  box.addEventListener('scroll', note, { passive: true })
  return () => {
    resized.disconnect()
    box.removeEventListener('scroll', note)
  }
}

function targetOf(
  key: string,
  row: number,
  { last, page }: { readonly last: number; readonly page: number },
): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: last,
  }
  const target = targets[key]
  return target === undefined ? undefined : Math.max(0, Math.min(last, target))
}

function scrollTo(box: HTMLElement, row: number): void {
  const top = row * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
}
