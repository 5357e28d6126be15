import { EmptyState } from '../components/empty-state.tsx'

export function TimePage() {
  return (
    <section class="page">
      <h1>Time</h1>
      <EmptyState title="Every state of the store is kept">
        <p>
          <code>varve log --follow</code> shows every change, and <code>varve restore</code> brings a state back.
        </p>
      </EmptyState>
    </section>
  )
}
