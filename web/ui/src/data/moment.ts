// Moments: formats seconds since the epoch as dates and times.

const day = 86400;

// An age is given in the largest unit of which it has at least one. Months have 30 days and years
// 365, as in the command: an age is a duration and does not depend on the calendar.
const lengths: readonly [seconds: number, one: string, many: string][] = [
  [365 * day, "year", "years"],
  [30 * day, "month", "months"],
  [7 * day, "week", "weeks"],
  [day, "day", "days"],
  [3600, "hour", "hours"],
  [60, "minute", "minutes"],
];

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

function dateOf(seconds: number): Date | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** "2026-01-31", in local time. */
export function dateText(seconds: number): string {
  const date = dateOf(seconds);
  if (!date) return `@${seconds}`;
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

/** "2026-01-31 17:05" in local time, as in the command; "@-99999999999999" outside the calendar. */
export function timeText(seconds: number): string {
  const date = dateOf(seconds);
  if (!date) return `@${seconds}`;
  return `${dateText(seconds)} ${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

/** "3 months ago", "in 2 days", "just now". */
export function agoText(seconds: number, now: number): string {
  const distance = Math.abs(now - seconds);
  const length = lengths.find(([least]) => distance >= least);
  if (!length) return "just now";
  const [least, one, many] = length;
  const count = Math.floor(distance / least);
  const amount = `${count} ${count === 1 ? one : many}`;
  return seconds > now ? `in ${amount}` : `${amount} ago`;
}
