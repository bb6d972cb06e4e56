// SPDX-License-Identifier: GPL-2.0-or-later
// Values of Qt; ustap.process/summaries_qt.stp says what they are.
#include <QByteArray>
#include <QHash>
#include <QList>
#include <QMap>
#include <QSet>
#include <QString>
#include <QVector>

extern "C" __attribute__((noinline)) long shown(const QString &s, const QByteArray &b,
						const QList<int> &l, const QVector<double> &v,
						const QList<QString> &t)
{
	return s.size() + b.size() + l.size() + v.size() + t.size();
}

extern "C" __attribute__((noinline)) long tables(const QMap<QString, int> &m,
						 const QMap<char, short> &n,
						 const QHash<QString, int> &h,
						 const QHash<int, QString> &i, const QSet<int> &s,
						 const QMap<int, int> &e)
{
	return m.size() + n.size() + h.size() + i.size() + s.size() + e.size();
}

extern "C" __attribute__((noinline)) long multiple(const QMultiHash<int, QString> &m,
						   const QMultiHash<QString, short> &n,
						   const QMultiMap<int, int> &o,
						   const QMultiHash<int, int> &e)
{
	return m.size() + n.size() + o.size() + e.size();
}

int main()
{
	if (!multiple({{7, "old"}, {7, "new"}}, {{"k", -1}}, {{1, 2}, {1, 3}}, {}))
		return 1;
	if (!tables({{"b", 2}, {"a", 1}, {"c", 3}}, {{'x', 7}, {'a', -1}}, {{"k", 5}},
		    {{4, "four"}}, {9}, {}))
		return 1;
	return shown(QString::fromUtf8("caf\xc3\xa9"), QByteArray("bytes"), {1, 2}, {1.5, 2.5},
		     {"p", "q"}) == 0;
}
