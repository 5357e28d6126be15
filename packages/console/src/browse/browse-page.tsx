import { BucketList } from './bucket-list.tsx'

export function BrowsePage() {
  return <BucketList />
}
