// Package searches counts by day what shoppers searched for and did not find. It knows nothing of who searched.
package searches
