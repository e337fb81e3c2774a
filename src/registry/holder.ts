// A store identifies the holder of a lease by a text that no other holder has: the owner's name and a random id.

/** The text that identifies a new holder. */
export function holderOf(owner: string): string {
  return `${owner} ${crypto.randomUUID()}`;
}

/** The owner's name in the text of a holder. */
export function ownerOf(holder: string): string {
  const end = holder.lastIndexOf(' ');
  return end < 0 ? holder : holder.slice(0, end);
}
