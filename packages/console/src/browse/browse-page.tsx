import type { Route } from '../router/route.ts'
import { BucketList } from './bucket-list.tsx'
import { BucketPage } from './bucket-page.tsx'

export function BrowsePage({ route }: { readonly route: Route }) {
  const [, bucket] = route.path
  return bucket === undefined ? <BucketList /> : <BucketPage key={bucket} bucket={bucket} query={route.query} />
}
