import type { ComponentChildren } from 'preact'
import { ErrorMessage } from '../components/error-message.tsx'
import { useRefused } from '../components/refusals.tsx'
import type { Loaded } from '../components/use-load.ts'

export interface ListSectionProps<T> {
  readonly id: string
  readonly title: string
  readonly loaded: Loaded<readonly T[]>
  /** What an empty list means. */
  readonly empty: ComponentChildren
  readonly columns: readonly string[]
  readonly keyOf: (item: T) => string
  /** One for each column. */
  readonly cells: (item: T) => readonly ComponentChildren[]
}

/** A card with what a list of the server has, as a table. */
export function ListSection<T>({ id, title, loaded, empty, columns, keyOf, cells }: ListSectionProps<T>) {
  if (useRefused(loaded.state === 'failed' ? loaded.error : undefined, title)) return null
  return (
    <section class="card operate-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {loaded.state === 'loading' && <p role="status">Loading…</p>}
      {loaded.state === 'failed' && <ErrorMessage error={loaded.error} onRetry={loaded.reload} />}
      {loaded.state === 'ready' && loaded.value.length === 0 && <p class="quiet">{empty}</p>}
      {loaded.state === 'ready' && loaded.value.length > 0 && (
        <div class="operate-table" role="group" aria-labelledby={id} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {loaded.value.map((item) => (
                <tr key={keyOf(item)}>
                  {cells(item).map((cell, column) => (
                    <td key={column} data-label={columns[column]}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
