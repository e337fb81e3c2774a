// A store knows the holder of a lease by a text that no other holder has: the owner's name and a random id.

/** What a store knows a new holder by. */
export function holderOf(owner: string): string {
  return `${owner} ${crypto.randomUUID()}`;
}

/** The name of the owner that a holder is of. */
export function ownerOf(holder: string): string {
  const end = holder.lastIndexOf(' ');
  return end < 0 ? holder : holder.slice(0, end);
}
